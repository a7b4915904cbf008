import { useEffect, useState } from 'react'

/**
 * What a part of the application gives once it is loaded, and it is loaded only while it is wanted. Undefined until then,
 * and where it cannot be loaded: what it adds is not there.
 *
 * @param load a function of the module: another one at each render would load it again.
 */
export function useLoaded<Part>(isWanted: boolean, load: () => Promise<Part>): Part | undefined {
  const [part, setPart] = useState<{ readonly loaded: Part }>()
  useEffect(() => {
    if (!isWanted) return
    let isShown = true
    load().then(
      (loaded) => {
        if (isShown) setPart({ loaded })
      },
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [isWanted, load])
  return part?.loaded
}
