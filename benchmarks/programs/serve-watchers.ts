// Forked by serve-load.ts: watches sessions of a server over server-sent events, and measures how late deltas come.
// First message: the plan. Sends "watching" when all connections have their first frame, and the result when every answer has settled.
import { get } from "node:http";
import { monotonicMs } from "../lib/provider.ts";

export interface WatchPlan {
  /** The addresses of the events, as many as there are connections. */
  urls: string[];
  token: string;
}

export interface WatchResult {
  /** Deltas that all connections got. */
  deltas: number;
  /** How long after the provider had written a delta a connection got it, in milliseconds. */
  delayP50: number;
  delayP99: number;
}

const deltaStart = 'data: {"type":"message_update","assistantMessageEvent":{"type":"text_delta"';
const timePattern = /t=(\d+(?:\.\d+)?) /g;

process.once("message", (plan: WatchPlan) => watch(plan));
process.once("disconnect", () => process.exit());

function watch({ urls, token }: WatchPlan): void {
  const delays: number[] = [];
  let waiting = urls.length;
  let unsettled = urls.length;
  for (const url of urls) {
    let isFirst = true;
    let rest = "";
    get(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (text: string) => {
        const now = monotonicMs();
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          // The ends of blocks, messages and turns have the whole text.
          if (!line.startsWith(deltaStart)) continue;
          for (const [, time] of line.matchAll(timePattern)) delays.push(now - Number(time));
        }
        if (isFirst && text.includes('"type":"resync"')) {
          isFirst = false;
          waiting -= 1;
          if (waiting === 0) process.send?.("watching");
        }
        if (!text.includes('{"type":"agent_settled"')) return;
        unsettled -= 1;
        if (unsettled === 0) process.send?.(sumUp(delays));
      });
    });
  }
}

function sumUp(delays: number[]): WatchResult {
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  return { deltas: delays.length, delayP50: at(0.5), delayP99: at(0.99) };
}
