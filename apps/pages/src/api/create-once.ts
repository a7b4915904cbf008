import { ClientError } from '@homeward/contract/client'

/** What {@link createOnce} needs to know of what it creates. */
interface Creation<Thing> {
  readonly create: () => Promise<Thing>
  /** Reads what has its id. */
  readonly read: () => Promise<Thing>
  /** What was to be created, as JSON can hold it. */
  readonly wanted: unknown
  /** The same of what is there. */
  readonly toWanted: (thing: Thing) => unknown
}

/**
 * Creates something whose id is known before. Where the id is taken, by the same, it was created the last time and the answer
 * was lost.
 */
export async function createOnce<Thing>({ create, read, wanted, toWanted }: Creation<Thing>): Promise<Thing> {
  try {
    return await create()
  } catch (error) {
    if (!ClientError.is(error) || error.status !== 409) throw error
    const there = await read().catch(() => undefined)
    if (there === undefined || toText(toWanted(there)) !== toText(wanted)) throw error
    return there
  }
}

/** Blanks around a text are not kept. */
const toText = (value: unknown) =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'string' ? each.trim() : each))
