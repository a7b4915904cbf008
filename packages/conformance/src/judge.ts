import type { CaseResult, GradedCase } from './conformance-case.ts'
import { deviceCases } from './device/device-cases.ts'
import { cloudCases } from './cloud/cloud-cases.ts'
import { runCloudCases } from './cloud/run-cloud-cases.ts'
import { runDeviceCases } from './device/run-device-cases.ts'
import { selectCases } from './select-cases.ts'
import { type Options, readOptions, usage, UsageError } from './options.ts'
import { createReporter } from './report/create-reporter.ts'

/** Where the program reads and writes. */
interface Surroundings {
  readonly environment: NodeJS.ProcessEnv
  /** Takes results. */
  readonly write: (text: string) => void
  /** Takes lines for the person at the terminal. */
  readonly tell: (line: string) => void
}

/**
 * Runs the program; gives its exit code: 0 if every case passed or was skipped, 1 if a case failed.
 *
 * @throws {UsageError} for arguments that cannot be used.
 */
export async function judge(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const options = readOptions(args, surroundings.environment)
  if (options.help) {
    surroundings.write(`${usage}\n`)
    return 0
  }
  const cases = casesOf(options)
  if (options.list) {
    for (const { id, title, holds } of cases) surroundings.write(`${id}: ${title} (${holds.link})\n`)
    return 0
  }
  const unknown = options.only.find((id) => !cases.some((each) => each.id === id))
  if (unknown !== undefined) {
    throw new UsageError(
      `Running cases failed: level ${options.level.join()} has no case "${unknown}". Run with "--list" to see all cases.`,
    )
  }
  const reporter = createReporter(
    options.format,
    `homeward-conformance ${options.subject}`,
    surroundings.write,
  )
  const results = await run(options, surroundings, reporter.add)
  reporter.end(results)
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}

/** What is shown of the cases of the levels. */
function casesOf({ subject, level }: Options): readonly Pick<GradedCase<never>, 'id' | 'title' | 'holds'>[] {
  const cases =
    subject === 'device'
      ? selectCases({ cases: deviceCases, level, only: [] })
      : selectCases({ cases: cloudCases, level, only: [] })
  return cases.map(({ graded }) => graded)
}

function run(
  options: Options,
  { write, tell }: Surroundings,
  onResult: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  if (options.subject === 'cloud') return runCloudCases({ ...options, onResult })
  const tellAuthor = options.format === 'text' ? (line: string) => write(`${line}\n`) : tell
  return runDeviceCases({ ...options, cases: deviceCases, tell: tellAuthor, onResult })
}
