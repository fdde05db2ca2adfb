/** Another server has the session open. */
export class ElsewhereError extends Error {
  readonly id: string;
  /** The address of that server, without a slash at its end; null if it has announced none. */
  readonly address: string | null;

  constructor(id: string, address: string | null) {
    super(`The session ${id} is open in another server.`);
    this.id = id;
    this.address = address;
  }
}
