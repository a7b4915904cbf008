import { useState } from 'react'

/** What a form and somebody else have both changed: whoever saves last wins, and is told before. */
interface Clashes<Known, Field> {
  /** Of what people were told. */
  readonly told: readonly Field[]
  /**
   * Asks before a form is saved over what is there now.
   *
   * @param find fields that the form changes and that are no longer as they were known.
   * @returns whether there is nothing that people were not told of; the next time there is not.
   */
  readonly mayReplace: (now: Known, find: (known: Known) => readonly Field[]) => boolean
  /** To be called with what shows where a change begins. */
  readonly learn: (shown: Partial<Known>) => void
  /** Forgets them: saved, or given up. @param now what is there then */
  readonly settle: (now: Known) => void
}

/** Keeps them for a form. @param first what was there when it was begun */
export function useClashes<Known extends object, Field>(first: Known): Clashes<Known, Field> {
  const [known, setKnown] = useState(first)
  const [told, setTold] = useState<readonly Field[]>([])
  return {
    told,
    mayReplace(now, find) {
      const found = find(known)
      setKnown(now)
      setTold(found)
      return found.length === 0
    },
    learn: (shown) => setKnown((before) => ({ ...before, ...shown })),
    settle(now) {
      setKnown(now)
      setTold([])
    },
  }
}

/** What to say at a field that was changed here and elsewhere. */
export const changedElsewhere =
  'This was changed elsewhere since you started. Save again to overwrite that change.'

/** What to say of a form with such a field. */
export const changedBySomebodyElse = 'Someone else changed the same settings.'
