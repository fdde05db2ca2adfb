import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The projects without long files, in the order in which they end a run. */
const last = ["@pikit/test-kit", "@pikit/agent", "@pikit/ai"];

/**
 * Runs the projects with the shortest files last, so that no worker is left with a long file while the others have nothing to do. The files of
 * a project stay together, as vitest sorts them: another project needs another worker.
 */
export class ShortProjectsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => last.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
