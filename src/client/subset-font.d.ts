/** The part of subset-font 2.9 that build.ts uses; the package ships no types. */
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
