/** Does something for each, a few at the same time. @returns why it failed, for those for which it did. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<Error[]> {
  const failures: Error[] = []
  const rest = items.values()
  async function workOff(): Promise<void> {
    for (const item of rest) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, that is the point
        await work(item)
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error('Failed', { cause: error }))
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
  return failures
}
