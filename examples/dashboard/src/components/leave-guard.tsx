import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** What a {@link LeaveGuard} takes. */
export interface LeaveGuardProps {
  /** Whether something would be lost. */
  readonly isDirty: boolean
  /** The person wants to leave all the same. */
  readonly onLeave?: () => void
}

/** Asks before a link leads away from what was not saved; the browser itself asks before the page is closed. */
export function LeaveGuard({ isDirty, onLeave }: LeaveGuardProps) {
  const [target, setTarget] = useState<string>()
  const [, navigate] = useLocation()

  useEffect(() => {
    if (!isDirty) return
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const onClick = (event: MouseEvent) => {
      const path = pathOfLink(event)
      if (path === undefined) return
      event.preventDefault()
      // Another form of the page need not ask the same.
      event.stopImmediatePropagation()
      setTarget(path)
    }
    window.addEventListener('beforeunload', onUnload)
    // Before the router and the links themselves see it.
    document.addEventListener('click', onClick, true)
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      document.removeEventListener('click', onClick, true)
    }
  }, [isDirty])

  if (target === undefined) return null
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) setTarget(undefined)
      }}
      title="Leave without saving?"
      confirmLabel="Discard changes"
      onConfirm={() => {
        onLeave?.()
        navigate(target)
      }}
    >
      <p>What you changed on this page has not been saved.</p>
    </ConfirmDialog>
  )
}

/** Where a click leads within this application; undefined when it stays here or opens somewhere else. */
function pathOfLink(event: MouseEvent): string | undefined {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || link.target === '_blank' || link.hasAttribute('download')) return undefined
  const url = URL.parse(link.href)
  if (url?.origin !== location.origin || url.pathname === location.pathname) return undefined
  return url.pathname + url.search + url.hash
}
