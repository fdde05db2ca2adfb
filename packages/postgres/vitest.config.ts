import { testsOf } from "../../scripts/vitest-project.ts";

export default testsOf("@pikit/postgres", { globalSetup: ["test/helpers/global-setup.ts"] });
