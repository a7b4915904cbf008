/** Bounds how many tests of one webhook run at a time, so that tests cannot be used to flood a receiver. */
export function createTestLimit(max: number) {
  const underWay = new Map<string, number>()
  return {
    /** Runs a test, or gives undefined if too many of the webhook are under way. */
    run<Result>(webhookId: string, run: () => Promise<Result>): Promise<Result> | undefined {
      const count = underWay.get(webhookId) ?? 0
      if (count >= max) return undefined
      underWay.set(webhookId, count + 1)
      return run().finally(() => {
        const left = (underWay.get(webhookId) ?? 1) - 1
        if (left > 0) underWay.set(webhookId, left)
        else underWay.delete(webhookId)
      })
    },
  }
}
