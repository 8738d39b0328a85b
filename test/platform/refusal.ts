/** An error answer of the platform: status, its own code and a text. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
