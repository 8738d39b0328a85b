/** The Workers of the stand-in's account: versions, deployments, secrets and schedules. */
import { randomUUID } from "node:crypto";
import { Refusal } from "./refusal.ts";

export interface Binding {
  name: string;
  type: string;
  text?: string;
  id?: string;
  database_id?: string;
  namespace_id?: string;
  bucket_name?: string;
  [field: string]: unknown;
}

interface Metadata {
  bindings: Binding[];
  keep_bindings?: string[];
  annotations?: Record<string, string>;
  exports?: Record<string, unknown>;
  [field: string]: unknown;
}

interface Version {
  id: string;
  number: number;
  created_on: string;
  annotations: Record<string, string>;
  bindings: Binding[];
  files: Record<string, number>;
}

interface Deployment {
  id: string;
  created_on: string;
  versions: { version_id: string; percentage: number }[];
  annotations: Record<string, string>;
}

/** What the platform answers for a Worker that it has not: its error code 10007. */
export const noWorker = () =>
  new Refusal(404, 10007, "This Worker does not exist on your account.");

/** The platform keeps the values of these where an upload has none. */
const SECRET = "secret_text";

export class Worker {
  readonly name: string;
  readonly tag = randomUUID().replaceAll("-", "");
  readonly versions: Version[] = [];
  readonly deployments: Deployment[] = [];
  schedules: unknown = [];
  domains: string[] = [];
  subdomain = { enabled: false, previews_enabled: false };
  tags: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get current(): Version {
    const id = this.deployments.at(-1)?.versions[0]?.version_id;
    const version = this.versions.find((one) => one.id === id);
    if (version === undefined) throw noWorker();
    return version;
  }

  /** Values of bindings that are texts: variables, and secrets too. */
  get values(): Record<string, string> {
    const texts = this.current.bindings.filter(({ text }) => text !== undefined);
    return Object.fromEntries(texts.map(({ name, text }) => [name, text ?? ""]));
  }

  get secretNames(): string[] {
    return this.current.bindings.filter(({ type }) => type === SECRET).map(({ name }) => name);
  }

  upload(metadata: Metadata, files: Record<string, number>, now: string): Version {
    const before = this.deployments.length === 0 ? [] : this.current.bindings;
    const bindings = metadata.bindings.map((binding) => {
      if (binding.type !== "inherit") return binding;
      const inherited = before.find(({ name }) => name === binding.name);
      if (inherited !== undefined) return inherited;
      throw new Refusal(400, 10056, `The binding ${binding.name} has nothing to inherit.`);
    });
    const kept = before.filter(
      ({ name, type }) =>
        metadata.keep_bindings?.includes(type) && !bindings.some((one) => one.name === name),
    );
    const version: Version = {
      id: randomUUID(),
      number: this.versions.length + 1,
      created_on: now,
      annotations: metadata.annotations ?? {},
      bindings: [...bindings, ...kept],
      files,
    };
    this.versions.push(version);
    return version;
  }

  deploy(
    versions: Deployment["versions"],
    annotations: Record<string, string>,
    now: string,
  ): Deployment {
    for (const { version_id } of versions) this.version(version_id);
    const deployment = { id: randomUUID(), created_on: now, versions, annotations };
    this.deployments.push(deployment);
    return deployment;
  }

  version(id: string): Version {
    const version = this.versions.find((one) => one.id === id);
    if (version === undefined) throw new Refusal(404, 10003, "This version does not exist.");
    return version;
  }
}

/** A version as the platform describes it, without the values of secrets. */
export function describe(version: Version) {
  const { id, number, created_on, annotations, bindings } = version;
  return {
    id,
    number,
    metadata: { created_on, modified_on: created_on, source: "wrangler", author_email: "a@b.c" },
    annotations,
    resources: {
      script: { etag: id, handlers: ["fetch", "scheduled"], last_deployed_from: "wrangler" },
      script_runtime: {},
      bindings: publicOf(bindings),
    },
  };
}

export function publicOf(bindings: Binding[]): Binding[] {
  return bindings.map(({ text, ...binding }) =>
    binding.type === SECRET || text === undefined ? binding : { ...binding, text },
  );
}
