/** Does everything in turn, then fails with the first failure, if there was one. */
export async function closeAll(steps: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
