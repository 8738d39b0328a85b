/**
 * Draws mutants of the product's code: `node test/mutants/draw.ts --seed 30 --per-room 5` prints
 * `drawn-mutants.ts` without its `caught_by`. Nobody can choose mutants that the tests are known to
 * notice, because the code and the seed alone decide.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ESTree, parseSync } from "vite";
import { parseOptions, wholeNumber } from "../command-line.ts";
import { generator, integer, type Random } from "../random.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A file belongs to the first that fits, so that the routes of all rooms are together; other files to none. */
const ROOMS = [
  /^src\/.*route[^/]*$/,
  /^src\/http\//,
  /^src\/counting\//,
  /^src\/stats\//,
  /^src\/authoring\//,
  /^src\/(views|pages)\//,
  /^src\/(client\/editor\/|client\/[^/]+$)/,
  /^(src\/operate|objects\/(monitor|errors))\//,
];
/** Types, what the build made, and tables of texts. */
const NOT_MUTATED = /\.d\.ts$|^src\/client\/dist\/|[-/]texts\.ts$/;

/** Each comparison is followed by the one that takes its place. */
const COMPARISONS = ["<", "<=", "<", ">", ">=", ">", "===", "!==", "==="];
const LEAVES = ["ReturnStatement", "ThrowStatement", "ContinueStatement"];
/** Mutants by one operator in a room, while others are available. */
const SAME_OPERATOR_MAX = 2;

/** From `start` to `end` of the text there is `by` instead. */
interface Edit {
  operator: "drop a guard" | "flip a comparison" | "shift a limit" | "drop an await";
  start: number;
  end: number;
  by: string;
}

interface Candidate extends Edit {
  /** File, line and operator. */
  name: string;
  text: string;
  /** Where the outermost function around it starts, or the statement outside of all functions. */
  place: string;
}

function isGuard({ alternate, consequent: body }: ESTree.IfStatement): boolean {
  const [only, ...rest] = body.type === "BlockStatement" ? body.body : [body];
  return alternate === null && only !== undefined && !rest.length && LEAVES.includes(only.type);
}

/** The integers of `3` and `3 * 60 * SECOND_MS`, each made one more. */
function shifted(node: ESTree.Expression | ESTree.PrivateIdentifier): Edit[] {
  if (node.type === "BinaryExpression" && node.operator === "*") {
    return [...shifted(node.left), ...shifted(node.right)];
  }
  const { raw, value } = node.type === "Literal" ? node : { raw: null, value: null };
  if (typeof value !== "number" || value < 1 || !raw || !/^[\d_]+$/.test(raw)) return [];
  const by = (value + 1).toLocaleString("en").replaceAll(",", raw.includes("_") ? "_" : "");
  return [{ operator: "shift a limit", start: node.start, end: node.end, by }];
}

function editsOf(node: ESTree.Node, text: string): Edit[] {
  if (node.type === "IfStatement" && isGuard(node)) {
    return [{ operator: "drop a guard", start: node.start, end: node.end, by: ";" }];
  }
  if (node.type === "BinaryExpression" && COMPARISONS.includes(node.operator)) {
    const start = text.indexOf(node.operator, node.left.end);
    const by = COMPARISONS[COMPARISONS.indexOf(node.operator) + 1] ?? "";
    return [{ operator: "flip a comparison", start, end: start + node.operator.length, by }];
  }
  if (node.type === "ExpressionStatement" || node.type === "ReturnStatement") {
    // Other awaited values are used: a promise in their place is an error of types.
    const awaited = node.type === "ReturnStatement" ? node.argument : node.expression;
    if (awaited?.type !== "AwaitExpression") return [];
    const { start, argument } = awaited;
    return [{ operator: "drop an await", start, end: argument.start, by: "" }];
  }
  if (node.type !== "VariableDeclaration" || node.kind !== "const") return [];
  return node.declarations.flatMap(({ id, init }) =>
    init && id.type === "Identifier" && /^[A-Z][A-Z\d_]*$/.test(id.name) ? shifted(init) : [],
  );
}

const isNode = (value: unknown): value is ESTree.Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

function candidatesOf(file: string): Candidate[] {
  const text = readFileSync(ROOT + file, "utf8");
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Candidate[] = [];
  const walk = (node: ESTree.Node, outer: number, is_inside: boolean) => {
    const is_function = /Function(Declaration|Expression)$/.test(node.type);
    const start = is_function && !is_inside ? node.start : outer;
    for (const edit of editsOf(node, text)) {
      const name = `${file}:${text.slice(0, edit.start).split("\n").length} ${edit.operator}`;
      found.push({ ...edit, name, text, place: `${file}:${start}` });
    }
    for (const child of Object.values(node).flat()) {
      if (isNode(child)) walk(child, start, is_inside || is_function);
    }
  };
  for (const statement of program.body) walk(statement, statement.start, false);
  return found.sort((one, other) => one.start - other.start);
}

function draw(all: readonly Candidate[], count: number, random: Random): Candidate[] {
  const drawn: Candidate[] = [];
  const drawnWith = (key: "name" | "place" | "operator", { [key]: value }: Candidate) =>
    drawn.filter((other) => other[key] === value).length;
  while (drawn.length < count) {
    const free = all.filter((one) => drawnWith("name", one) + drawnWith("place", one) === 0);
    const rare = free.filter((one) => drawnWith("operator", one) < SAME_OPERATOR_MAX);
    const from = rare.length > 0 ? rare : free;
    const one = from[integer(from.length, random)];
    if (one === undefined) break;
    drawn.push(one);
  }
  return all.filter((candidate) => drawn.includes(candidate));
}

/** The changed lines, with as many above them as it takes to occur once in the file. */
function entryOf({ name, text, start, end, by }: Candidate): string {
  let top = text.lastIndexOf("\n", start - 1) + 1;
  const bottom = text.indexOf("\n", end);
  const from = () => text.slice(top, bottom);
  while (text.indexOf(from()) !== text.lastIndexOf(from())) {
    top = text.lastIndexOf("\n", top - 2) + 1;
  }
  const to = text.slice(top, start) + by + text.slice(end, bottom);
  return `  ${JSON.stringify(name)}: ${JSON.stringify({ from: from(), to, caught_by: "" })},\n`;
}

const OPTIONS = { seed: { type: "string" }, "per-room": { type: "string" } } as const;
const { seed = "30", "per-room": per_room = "5" } = parseOptions(process.argv.slice(2), OPTIONS);
const random = generator(wholeNumber("seed", seed, { min: 0, max: 2 ** 32 - 1 }));
const count = wholeNumber("per-room", per_room, { min: 1, max: 1_000 });
const files = globSync("{src,objects}/**/*.{ts,tsx}", { cwd: ROOT }).sort();
const roomOf = (file: string) =>
  NOT_MUTATED.test(file) ? -1 : ROOMS.findIndex((room) => room.test(file));
const drawn = ROOMS.flatMap((_, room) =>
  draw(files.filter((file) => roomOf(file) === room).flatMap(candidatesOf), count, random),
);
process.stdout.write(`\
/**
 * Mutants drawn by \`node test/mutants/draw.ts --seed ${seed} --per-room ${per_room}\`: nobody chose them.
 * Where no test is believed to notice one, \`caught_by\` is empty and a comment says why.
 */
import type { RoomMutant } from "./room-mutants.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are code
/** Their files stand in their names. */
export const DRAWN_MUTANTS: Record<string, Omit<RoomMutant, "file">> = {
${drawn.map(entryOf).join("")}};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are code
`);
