import { testsOf } from "../../scripts/vitest-project.ts";
import { ownProcess } from "./vitest.own-process.config.ts";

export default testsOf("@pikit/coding-agent", { exclude: ownProcess });
