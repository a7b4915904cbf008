/** One reader's view of a shared stream. */
interface SharedContent extends AsyncIterable<Uint8Array> {
  /** Waits for this reader no longer. To be called when it is done with, however that came; safe to call twice. */
  leave(): Promise<void>
}

type Turn = PromiseWithResolvers<IteratorResult<Uint8Array>>
const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

/**
 * Gives one stream to several readers. The next chunk is read once every reader that is still there has asked for it, so
 * no more than one is held and the slowest sets the pace. The stream is let go with its last reader.
 */
export function shareContent(content: AsyncIterable<Uint8Array>, readers: number): readonly SharedContent[] {
  const source = content[Symbol.asyncIterator]()
  const waiting = new Set<Turn>()
  let left = readers
  let isReading = false
  let isOver = false

  /** Reads once all wait; each hears the same. */
  function advance(): void {
    if (isReading || left === 0 || waiting.size < left) return
    isReading = true
    source.next().then(
      (result) => {
        isOver = result.done ?? false
        answer((turn) => turn.resolve(result))
      },
      (error: unknown) => {
        isOver = true
        answer((turn) => turn.reject(error))
      },
    )
  }

  function answer(tell: (turn: Turn) => void): void {
    isReading = false
    const turns = [...waiting]
    waiting.clear()
    for (const turn of turns) tell(turn)
    if (left === 0) void release()
  }

  async function release(): Promise<void> {
    if (isOver || isReading) return
    isOver = true
    await source.return?.()
  }

  function share(): SharedContent {
    let own: Turn | undefined
    let isGone = false
    const leave = async () => {
      if (isGone) return
      isGone = true
      left -= 1
      if (own !== undefined && waiting.delete(own)) own.resolve(over)
      if (left === 0) await release()
      else advance()
    }
    const iterator: AsyncIterator<Uint8Array> = {
      async next() {
        if (isGone) return over
        own = Promise.withResolvers()
        waiting.add(own)
        advance()
        const result = await own.promise
        if (result.done) await leave()
        return result
      },
      async return() {
        await leave()
        return over
      },
    }
    return { leave, [Symbol.asyncIterator]: () => iterator }
  }
  return Array.from({ length: readers }, share)
}
