import type { RunSpan } from '../../store/ports/run-trace.ts'

/** What has ended in a run, in order, and how much of it is stored. */
export class SpanLog {
  readonly #spans: RunSpan[]
  #savedCount: number

  /** @param stored Spans that the store has. */
  constructor(stored: readonly RunSpan[]) {
    this.#spans = [...stored]
    this.#savedCount = stored.length
  }

  get all(): readonly RunSpan[] {
    return this.#spans
  }

  add(span: RunSpan): void {
    this.#spans.push(span)
  }

  unsaved(): readonly RunSpan[] {
    return this.#spans.slice(this.#savedCount)
  }

  /** So many more were stored. */
  saved(count: number): void {
    this.#savedCount += count
  }
}
