/**
 * For `node --import`: openapi-typescript prints types with the compiler's programming interface, which
 * TypeScript 7 does not have. It gets the TypeScript 5 that is inside of `@ts-morph/common`: the package
 * `typescript` itself in a second version would bring a second `tsc`.
 */
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? "@ts-morph/common/dist/typescript.js" : specifier, context),
});
