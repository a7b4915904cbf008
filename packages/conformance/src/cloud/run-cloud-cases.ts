import { CaseFailure, CaseSkip, type CaseResult, type Level } from '../conformance-case.ts'
import { selectCases } from '../select-cases.ts'
import { cloudCases } from './cloud-cases.ts'
import { type CloudCase, createCloudTrial } from './cloud-trial.ts'

/** How a server is judged. */
interface CloudRun {
  readonly url: string
  readonly sessionToken: string | undefined
  readonly level: readonly Level[]
  /** Ids of the cases to run; empty for all of the levels. */
  readonly only: readonly string[]
  readonly onResult?: (result: CaseResult) => void
}

/** Thrown when the server cannot be judged at all. */
class ServerUnusable extends Error {
  override readonly name = 'ServerUnusable'
}

/**
 * Judges a server, one case after another, each with devices of its own.
 *
 * @throws {ServerUnusable} when nobody answers, or the session is refused.
 */
export async function runCloudCases(run: CloudRun): Promise<CaseResult[]> {
  await assertUsable(run)
  const results: CaseResult[] = []
  for (const { level, graded } of selectCases({ ...run, cases: cloudCases })) {
    const result = await judge(run, level, graded)
    results.push(result)
    run.onResult?.(result)
  }
  return results
}

async function assertUsable({ url, sessionToken }: CloudRun): Promise<void> {
  const attempt = `Judging ${url} failed`
  const answer = await createCloudTrial(url, sessionToken)
    .call('GET', '/api/devices')
    .catch((cause: unknown) => {
      throw new ServerUnusable(
        `${attempt}: the server does not respond. Check the address, and that the server is running.`,
        { cause },
      )
    })
  if (answer.status === 200) return
  const fix =
    sessionToken === undefined ? 'Give an API token with --session-token.' : 'Check the token and its rights.'
  throw new ServerUnusable(`${attempt}: GET /api/devices got ${answer.status}. ${fix}`)
}

async function judge(
  run: CloudRun,
  level: Level,
  { id, title, holds, run: hold }: CloudCase,
): Promise<CaseResult> {
  const trial = createCloudTrial(run.url, run.sessionToken)
  const startMs = performance.now()
  const about = (outcome: CaseResult['outcome']) => ({
    id,
    level,
    title,
    holds,
    outcome,
    tookMs: Math.round(performance.now() - startMs),
  })
  try {
    await hold(trial)
    return about('passed')
  } catch (error) {
    if (error instanceof CaseSkip) return { ...about('skipped'), reason: error.message }
    const reason =
      error instanceof CaseFailure ? error.message : 'The connection broke, or no answer came in 90 s.'
    return { ...about('failed'), reason, seen: trial.seen() }
  } finally {
    await trial.end()
  }
}
