import { Budget, RunLimits } from '@homeward/contract/agent-platform'
import { describeIssue } from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { RuntimeError } from '../ports/runtime-error.ts'
import { issueSentence } from './issue-sentence.ts'

/**
 * Checks what a host passed in, by the schema that the REST interface checks with. What a schema gives, it takes too.
 *
 * @throws {RuntimeError} `validation_error` that begins with what was attempted.
 */
export function parseInput<S extends z.ZodMiniType>(
  schema: S,
  given: z.input<S> | z.output<S>,
  attempt: string,
): z.output<S> {
  const input = readInput(schema, given)
  if ('value' in input) return input.value
  throw new RuntimeError('validation_error', `${attempt} failed: ${input.problem}.`)
}

/** As {@link parseInput}, for who tells of a problem in other words. */
export function readInput<S extends z.ZodMiniType>(
  schema: S,
  given: unknown,
): { readonly value: z.output<S> } | { readonly problem: string } {
  const parsed = z.safeParse(schema, given, { error: describeIssue })
  if (!parsed.success) return { problem: toText(parsed.error.issues) }
  const problem = unknownLimit(given)
  return problem === undefined ? { value: parsed.data } : { problem }
}

function toText(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .slice(0, 3)
    .map((issue) => issueSentence(issue, 'the input'))
    .join('; ')
}

const limits = { limits: Object.keys(RunLimits.shape), budget: Object.keys(Budget.shape) }

/**
 * Names that are not known are ignored, for a host may pass on an object of its own. One among limits was meant to stop
 * something: `maxTurns` instead of `max_turns` would let it go on.
 */
function unknownLimit(given: unknown): string | undefined {
  for (const [field, known] of Object.entries(limits)) {
    const group = (given as Readonly<Record<string, unknown>> | undefined)?.[field]
    if (typeof group !== 'object' || group === null) continue
    const name = Object.keys(group).find((each) => !known.includes(each))
    if (name !== undefined) return `"${field}.${name.slice(0, 100)}" is unknown. Use ${known.join(', ')}`
  }
  return undefined
}
