import { useEffect, useRef } from 'react'
import { keepMessage, moveKeptMessage, readKeptMessage } from './kept-messages.ts'

/**
 * Keeps a message that did not get through where the next one is written: why it was refused is often mended on another page,
 * and who comes back from there finds it. What is being written by then stays instead.
 *
 * @param place of the next message, as `messagePlace` names it. What is kept goes along when it becomes another one.
 * @param unsent undefined once it is sent again.
 */
export function useKeptUnsent(place: string, unsent: string | undefined): void {
  const kept = useRef<string>(undefined)
  const lastPlace = useRef(place)
  useEffect(() => {
    if (lastPlace.current !== place) moveKeptMessage(lastPlace.current, place)
    lastPlace.current = place
    if (unsent !== undefined) {
      if (readKeptMessage(place) !== '') return
      keepMessage(place, unsent)
      kept.current = unsent
    } else if (kept.current !== undefined) {
      if (readKeptMessage(place) === kept.current) keepMessage(place, '')
      kept.current = undefined
    }
  }, [place, unsent])
}
