import type { RunEvent } from '@homeward/contract/agent-platform'

/**
 * Reasoning of the models of this process's runs, and what their tools show for a moment. It is held in memory only and never
 * stored.
 */
export interface ReasoningLog {
  /** Adds a piece that came after the event number `afterSeq` of a run. */
  add(runId: string, afterSeq: number, delta: string, event?: RunEvent): void
  /** Reads what a run's model thinks, from now on and as far back as it is held. */
  read(runId: string, sinceSeq: number): ReasoningReader
}

/** One reader's position in the reasoning of a run. */
export interface ReasoningReader {
  /** Pieces that came before the event number `seq`, each once. */
  before(seq: number): Generator<ReasoningPiece, void, undefined>
}

/** A piece of reasoning. */
interface ReasoningPiece {
  /** Number of the event before it. */
  readonly afterSeq: number
  readonly delta: string
  /** The event, for everything but reasoning. */
  readonly event?: RunEvent | undefined
}

interface RunReasoning {
  /** Position of the first piece that is held. */
  first: number
  pieces: ReasoningPiece[]
  size: number
}

/** Characters that are held of one run. Beyond, its oldest pieces are dropped. */
const maxRunSize = 200_000
/** Characters that are held of all runs. Beyond, whole runs are dropped, oldest first. */
const maxSize = 4_000_000
/** What a piece takes in addition to its text, in characters. */
const pieceSize = 32

const sizeOf = ({ delta, event }: Pick<ReasoningPiece, 'delta' | 'event'>) =>
  delta.length + pieceSize + (event ? JSON.stringify(event).length : 0)

/** Creates a log of reasoning with a bound for each run and for all of them. */
export function createReasoningLog(): ReasoningLog {
  const runs = new Map<string, RunReasoning>()
  let size = 0

  function resize(run: RunReasoning, change: number): void {
    run.size += change
    size += change
  }

  return {
    add(runId, afterSeq, delta, event) {
      const run = runs.get(runId) ?? { first: 0, pieces: [], size: 0 }
      runs.set(runId, run)
      run.pieces.push({ afterSeq, delta, event })
      resize(run, sizeOf({ delta, event }))
      while (run.size > maxRunSize && run.pieces.length > 1) {
        const dropped = run.pieces.splice(0, Math.ceil(run.pieces.length / 4))
        run.first += dropped.length
        resize(run, -dropped.reduce((sum, piece) => sum + sizeOf(piece), 0))
      }
      for (const [id, oldest] of runs) {
        if (size <= maxSize || id === runId) break
        runs.delete(id)
        size -= oldest.size
      }
    },
    read(runId, sinceSeq) {
      const held = runs.get(runId)
      // A reader that comes back has seen some of what followed its last event: only what is new follows.
      let next = held ? held.first + countThrough(held.pieces, sinceSeq) : 0
      return {
        *before(seq) {
          for (;;) {
            const run = runs.get(runId)
            if (!run) return
            // The run's pieces were dropped, some or all of them.
            if (next < run.first || next > run.first + run.pieces.length) next = run.first
            const piece = run.pieces[next - run.first]
            if (!piece || piece.afterSeq >= seq) return
            next += 1
            yield piece
          }
        },
      }
    },
  }
}

/** How many pieces a reader skips that has seen the event number `seq`. */
function countThrough(pieces: readonly ReasoningPiece[], seq: number): number {
  if (seq === 0) return 0
  const next = pieces.findIndex(({ afterSeq }) => afterSeq > seq)
  return next === -1 ? pieces.length : next
}
