/** Only what build.ts uses of subset-font 2.9, which ships no types. */
declare module "subset-font" {
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: {
      targetFormat: "woff2";
      noHinting: boolean;
      dropTables: readonly string[];
      keepFeatures: readonly string[];
    },
  ): Promise<Uint8Array>;
}
