import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { FileContent } from '../store/ports/file-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RunBeginning } from '../store/ports/new-run.ts'
import type { NewRun } from '../store/ports/run-store.ts'
import type { RunsParts } from './runs-parts.ts'

/** Keeps a run and takes it on. @returns the run that was there before, under the same idempotency key, without `own`. */
export async function insertRun(
  { context, live }: Pick<RunsParts, 'context' | 'live'>,
  run: NewRun,
  journal: readonly NewJournalEvent[],
  contents: readonly FileContent[] = [],
  begun?: RunBeginning,
) {
  const own = live.take(run.id)
  own.run = run
  // the same for all repeats: the first of them may be the one that was kept
  const lease = context.leases.lease()
  let tries = 0
  const insert = async () => {
    tries += 1
    // without a key a repeat is another run to the store: whether it is there is looked up by its id
    const known =
      tries > 1 && run.idempotencyKey === undefined ? await context.store.findRun(run.id) : undefined
    if (known) return { run: known, created: false }
    const whole = { ...run, ...(contents.length > 0 && { contents }), ...(begun && { begun }) }
    return context.store.insertRun(whole, lease, journal)
  }
  try {
    const kept = await whileStoreFails(context, insert)
    // of a write that failed and was kept all the same, the repeat finds this very run
    const isOurs = kept.created || (tries > 1 && kept.run.id === run.id)
    if (isOurs) own.hold()
    else own.discard()
    return { own: isOurs ? own : undefined, known: kept.run }
  } catch (cause) {
    own.discard()
    if (RuntimeError.is(cause)) throw cause
    throw new RuntimeError('storage_error', 'Starting a run failed: the run could not be saved. Try again.', {
      cause,
      retryable: true,
    })
  }
}
