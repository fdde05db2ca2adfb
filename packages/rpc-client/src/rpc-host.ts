import type { ClientModel, HostModels } from "./host-models.ts";
import type { ClientTool, HostTools } from "./host-tools.ts";
import type { SendOptions } from "./options.ts";
import type { WireModel } from "./protocol-types.ts";
import { RpcDialogs } from "./rpc-dialogs.ts";

/** Tools and models that run in this program. */
export abstract class RpcHost extends RpcDialogs {
  /** @internal */
  protected abstract readonly hostTools: HostTools;
  /** @internal */
  protected abstract readonly hostModels: HostModels;
  /**
   * Whether an agent runs or starts, so that changes are sent to it.
   *
   * @internal
   */
  protected abstract get isStarted(): boolean;

  /**
   * Replaces the tools that run in this program, and registers them with the agent now and after each restart. May be called before `start`.
   *
   * @returns The names of the tools.
   * @throws {RpcCommandError} When the agent refuses them, for example because it has a tool with the same name; the previous tools stay.
   */
  async setTools(tools: readonly ClientTool<unknown>[], options: SendOptions = {}): Promise<string[]> {
    return await this.hostTools.replace(tools, async () => {
      const { definitions } = this.hostTools;
      if (!this.isStarted) return definitions.map(({ name }) => name);
      return (await this.send("set_host_tools", { tools: definitions }, options)).toolNames;
    });
  }

  /** The same as `setTools`, under its name in related clients. */
  setCustomTools(tools: readonly ClientTool<unknown>[], options?: SendOptions): Promise<string[]> {
    return this.setTools(tools, options);
  }

  /** The same as `setTools`, under the name of the command. */
  setHostTools(tools: readonly ClientTool<unknown>[], options?: SendOptions): Promise<string[]> {
    return this.setTools(tools, options);
  }

  /**
   * Replaces the models that run in this program, and registers them with the agent now and after each restart. May be called before `start`, and
   * must be if the option `model` names one of them. Choose one with `setModel("host", id)`.
   *
   * @returns The models as the agent lists them; empty before `start`.
   * @throws {RpcCommandError} When the agent refuses them, for example because two have the same id; the previous models stay.
   */
  async setModels(models: readonly ClientModel[], options: SendOptions = {}): Promise<WireModel[]> {
    return await this.hostModels.replace(models, async () => {
      if (!this.isStarted) return [];
      return (await this.send("set_host_models", { models: this.hostModels.definitions }, options)).models;
    });
  }

  /** The same as `setModels`, under the name of the command. */
  setHostModels(models: readonly ClientModel[], options?: SendOptions): Promise<WireModel[]> {
    return this.setModels(models, options);
  }
}
