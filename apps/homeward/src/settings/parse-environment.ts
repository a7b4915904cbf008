import type * as z from 'zod'

/**
 * Reads settings from the environment. Empty variables count as absent, and blanks around a value do not.
 *
 * @param attempt what needs them, for the error: `Starting the server`
 * @param problemsOf says what is wrong with variables that are right by themselves: `NAME: what is wrong`
 * @throws {Error} that names every variable that cannot be used, and why. It quotes none: some are secret.
 */
export function parseEnvironment<Schema extends z.ZodType>(
  attempt: string,
  schema: Schema,
  environment: NodeJS.ProcessEnv,
  problemsOf: (variables: z.output<Schema>) => readonly string[] = () => [],
): z.output<Schema> {
  const given = Object.entries(environment)
    .map(([name, value]) => [name, value?.trim() ?? ''] as const)
    .filter(([, value]) => value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  const problems = parsed.success
    ? problemsOf(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`)
  if (parsed.success && problems.length === 0) return parsed.data
  throw new Error(`${attempt}: environment variables are invalid. Correct them.\n  ${problems.join('\n  ')}`)
}
