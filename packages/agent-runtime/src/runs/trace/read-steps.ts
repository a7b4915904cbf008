import type { Json, TraceStep } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Redactor } from '../../secrets/redact.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import type { RunsContext } from '../runs-options.ts'
import { cut, isSmallJson } from '../../json/to-json.ts'
import { toGraphSteps } from './graph-steps.ts'
import { readRunView } from './run-view.ts'
import { toPlacedSteps, type PlacedStep } from './to-steps.ts'

/** Most characters of an input or an output, and of all of them together. */
export const maxChars = 20_000
export const maxAllChars = 4_000_000
/** More steps than any run should have; the newest are left out. */
const maxSteps = 5000

/**
 * Every step of a run, also while it works. Of a run whose steps were removed because it is old, the tool calls of its result
 * are left.
 *
 * @throws {RuntimeError} `not_found`.
 */
export async function readSteps(context: RunsContext, id: string): Promise<TraceStep[]> {
  const run = await context.store.findRun(id)
  if (!run)
    throw new RuntimeError(
      'not_found',
      'Getting the steps failed: no run has this id. List the runs to find it.',
    )
  const steps = (await stepsOf(context, run, await context.redactor())).slice(0, maxSteps)
  const most = Math.min(maxChars, Math.floor(maxAllChars / (2 * Math.max(1, steps.length))))
  return steps.map((step, index) => bounded(step, index, most))
}

type Whole = Omit<TraceStep, 'index' | 'cut'>

async function stepsOf(context: RunsContext, run: StoredRun, redact: Redactor): Promise<readonly Whole[]> {
  if (run.kind === 'graph') return toGraphSteps(context.store, run, redact)
  const steps = toPlacedSteps(await readRunView(context, run), redact)
  if (steps.length > 0 || !run.result) return steps.map(withoutPlace)
  return run.result.steps.map(({ tool, args, result, error }, index): Whole => ({
    id: `r${index}`,
    type: 'tool',
    name: tool,
    status: error === undefined ? 'completed' : 'failed',
    input: args,
    ...(error === undefined ? { output: result ?? null } : { error }),
    attempts: [],
  }))
}

function withoutPlace(placed: PlacedStep): Whole {
  const { place: _, ...step } = placed
  return step
}

function bounded({ input, output, ...step }: Whole, index: number, most: number): TraceStep {
  const [given, came] = [cutJson(input ?? null, most), cutJson(output ?? null, most)]
  const cuts = [...(given.isCut ? ['input' as const] : []), ...(came.isCut ? ['output' as const] : [])]
  return {
    index,
    ...step,
    ...(input !== undefined && { input: given.value }),
    ...(output !== undefined && { output: came.value }),
    ...(cuts.length > 0 && { cut: cuts }),
  }
}

/** A value of at most so many characters as JSON: a longer one becomes the beginning of its text, with a mark. */
export function cutJson(value: Json, maxChars: number): { readonly value: Json; readonly isCut: boolean } {
  if (isSmallJson(value, maxChars)) return { value, isCut: false }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { value: `${cut(text, maxChars)}… [cut: ${text.length} characters in all]`, isCut: true }
}
