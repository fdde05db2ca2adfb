import type { Checkpoints, RestoreOptions } from "../../checkpoints/checkpoints.ts";
import type { FileRestore } from "../../protocol/data.ts";
import type { CommandKeeper } from "../../tools/bash/run.ts";
import type { FileKeeper } from "../../tools/files/file-access.ts";

/** Keeps the changes of tools, and puts them back. The code for it is loaded with the first change. */
export class SessionCheckpoints {
  readonly #create: () => Promise<Checkpoints>;
  #checkpoints: Promise<Checkpoints> | undefined;
  /** The options of the tools: they have what keeps the changes. Empty if nothing is kept. */
  readonly keepers: { keeper?: FileKeeper; commandKeeper?: CommandKeeper };

  constructor(create: () => Promise<Checkpoints>, isOn: boolean) {
    this.#create = create;
    if (!isOn) this.keepers = {};
    else {
      this.keepers = {
        keeper: { keep: async (change) => (await this.#load()).keep(change) },
        commandKeeper: { around: async (call, run) => (await this.#load()).around(call, run) },
      };
    }
  }

  async undo(options?: RestoreOptions): Promise<FileRestore> {
    return (await this.#load()).undo(options);
  }

  async redo(options?: RestoreOptions): Promise<FileRestore> {
    return (await this.#load()).redo(options);
  }

  async restoreBefore(entryId: string, options?: RestoreOptions): Promise<FileRestore> {
    return (await this.#load()).restoreBefore(entryId, options);
  }

  #load(): Promise<Checkpoints> {
    this.#checkpoints ??= this.#create();
    return this.#checkpoints;
  }
}
