import { styleText } from "node:util";
import { isOver, type Measurement, type Result } from "./statistics.ts";

const nameLength = 54;

export function printHead(rounds: number, against: string | undefined): void {
  console.log(`Node ${process.version}, ${rounds} rounds, interleaved; the spread is the 10th to the 90th percentile`);
  if (against !== undefined) console.log(`against: ${against}`);
}

/** Prints the results of one benchmark under its name. */
export function printResults(benchmark: string, results: readonly Result[]): void {
  console.log("");
  printLine(styleText("bold", benchmark.padEnd(nameLength)), "median", "spread", "ratio", "budget");
  for (const result of results) {
    if ("failure" in result) console.log(`  ${result.name}: ${styleText("red", result.failure)}`);
    else printMeasurement(result);
  }
}

function printMeasurement(result: Measurement): void {
  const { name, unit, median, low, high, ratio } = result;
  const over = isOver(result) ? styleText("red", " over") : "";
  printLine(
    `  ${name}`.padEnd(nameLength),
    `${round(median)} ${unit}`,
    `${round(low)}–${round(high)}`,
    ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
    `${budget(result)}${over}`,
  );
}

function budget({ unit, limit, atMost }: Measurement): string {
  if (limit !== undefined) return `${Number(limit.toFixed(2))} ×`;
  return atMost === undefined ? "" : `${round(atMost)} ${unit}`;
}

function printLine(name: string, median: string, spread: string, ratio: string, last: string): void {
  console.log(`${name}${median.padStart(11)}${spread.padStart(18)}${ratio.padStart(10)}   ${last}`.trimEnd());
}

/** Three digits are more than the machine is good for. */
function round(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
