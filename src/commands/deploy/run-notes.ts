/** A run keeps for later ones what it was given, before its first step, and then what it learns. */
import type { Options } from "./deploy-options.ts";
import type { KeptFiles } from "./kept.ts";
import { isEphemeral } from "./machine.ts";
import type { Plan } from "./plan.ts";
import { SETUP_CODE } from "./secrets.ts";
import { hasHub } from "./settings.ts";
import type { Target } from "./target.ts";
import type { Uploaded } from "./upload.ts";

export class RunNotes {
  readonly #files: KeptFiles;
  readonly #target: Target;
  #url: string | undefined;
  #plan: Plan | undefined;
  #is_untold: boolean;

  constructor(files: KeptFiles, target: Target, { url, domain }: Options, isNew: boolean) {
    const { kept, service } = target;
    this.#files = files;
    this.#target = target;
    this.#url = url ?? (domain === undefined ? kept.url : undefined);
    this.#plan = kept.plan;
    // A value that the user gave is known to them, and the log of a CI is read by others.
    const isFirst = isNew && !process.env[SETUP_CODE] && !isEphemeral();
    this.#is_untold = (isFirst || kept.is_untold === true) && !hasHub(service.vars ?? {});
  }

  get is_untold(): boolean {
    return this.#is_untold;
  }

  keep(): void {
    const { own_vars, account, domain } = this.#target;
    this.#files.keep({
      ...{ vars: own_vars, account },
      ...(this.#url !== undefined && { url: this.#url }),
      ...(this.#is_untold && { is_untold: true }),
      ...(domain !== undefined && { domain }),
      ...(this.#plan !== undefined && { plan: this.#plan }),
    });
  }

  keepUploaded({ address, plan }: Uploaded): string | undefined {
    const { domain } = this.#target;
    const given = this.#url;
    // An address that the user gave stays; a deployment's gives way to the next deployment's.
    const isGiven = given !== undefined && !given.endsWith(".workers.dev");
    const reached = isGiven ? given : domain ? `https://${domain}` : (address ?? given);
    // A domain's address follows from it.
    if (isGiven || !domain) this.#url = reached;
    this.#plan = plan;
    this.keep();
    return reached;
  }

  keepTold(): void {
    this.#is_untold = false;
    this.keep();
  }
}
