import { useEffect } from 'react'

/**
 * Has the browser itself ask before the page is closed or loaded anew.
 *
 * @param isDirty whether something would be lost.
 */
export function useUnloadQuestion(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', onUnload)
    return () => window.removeEventListener('beforeunload', onUnload)
  }, [isDirty])
}
