import { testsOf } from "../../scripts/vitest-project.ts";

export default testsOf("@pikit/ai");
