/** A step that failed: what happened, and what the user can do about it. */
export class DeployError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}
