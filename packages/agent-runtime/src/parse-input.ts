import * as z from 'zod/mini'
import { RuntimeError } from './runtime-error.ts'

/**
 * Checks what a host passed in, by the schema that the REST interface checks with.
 *
 * @throws {RuntimeError} `validation_error` that begins with what was attempted.
 */
export function parseInput<S extends z.ZodMiniType>(
  schema: S,
  given: z.input<S>,
  attempt: string,
): z.output<S> {
  const parsed = z.safeParse(schema, given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, 3).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join('.')}: ${message}`
  })
  throw new RuntimeError('validation_error', `${attempt}: ${problems.join('; ')}.`)
}
