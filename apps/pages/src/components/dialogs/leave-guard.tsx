import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useUnloadQuestion } from './use-unload-question.ts'

/** What people are asked, and what the button says that leaves all the same. */
export interface LeaveQuestion {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
}

const aboutChanges: LeaveQuestion = {
  title: 'Leave without saving?',
  text: 'Your changes on this page are not saved.',
  confirmLabel: 'Discard changes',
}

/** What a {@link LeaveGuard} takes. */
interface LeaveGuardProps {
  /** Whether something would be lost. */
  readonly isDirty: boolean
  /** Whether it would be there again on the way back: then only links and the closing of the page ask. @default false */
  readonly isKept?: boolean
  /** @default about changes that are not saved */
  readonly question?: LeaveQuestion
  /** The person wants to leave all the same. */
  readonly onLeave?: () => void
}

/** Goes through the history with it where a person has agreed to lose what was not saved. */
const confirmed = 'confirmed'

/**
 * Asks before a link or the way back leads away from what was not saved; the browser itself asks before the page is closed.
 */
export function LeaveGuard({ isDirty, isKept = false, question = aboutChanges, onLeave }: LeaveGuardProps) {
  const [leave, setLeave] = useState<() => void>()
  const [, navigate] = useLocation()
  useUnloadQuestion(isDirty)

  useEffect(() => {
    if (!isDirty) return
    const onClick = (event: MouseEvent) => {
      const path = pathOfLink(event)
      if (path === undefined) return
      event.preventDefault()
      // Another form of the page need not ask the same.
      event.stopImmediatePropagation()
      setLeave(() => () => navigate(path))
    }
    // Before the router and the links themselves see it.
    document.addEventListener('click', onClick, true)
    return () => document.removeEventListener('click', onClick, true)
  }, [isDirty, navigate])

  useEffect(() => {
    // An older browser has no such event: there the way back goes without asking.
    if (!isDirty || isKept || !('navigation' in window)) return
    const onNavigate = (event: NavigateEvent) => {
      const key = keyOfPage(event)
      if (key === undefined) return
      event.preventDefault()
      event.stopImmediatePropagation()
      setLeave(() => () => traverseTo(key))
    }
    navigation.addEventListener('navigate', onNavigate)
    return () => navigation.removeEventListener('navigate', onNavigate)
  }, [isDirty, isKept])

  if (leave === undefined) return null
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) setLeave(undefined)
      }}
      title={question.title}
      confirmLabel={question.confirmLabel}
      onConfirm={() => {
        onLeave?.()
        leave()
      }}
    >
      <p>{question.text}</p>
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

/**
 * Key of the other page that a way through the history leads to; undefined where nothing is to be asked. Going twice without
 * touching the page cannot be cancelled: the browser holds nobody here.
 */
function keyOfPage({ navigationType, cancelable, info, destination }: NavigateEvent): string | undefined {
  if (navigationType !== 'traverse' || !cancelable || info === confirmed) return undefined
  // The browser asks itself before another document is loaded.
  if (!destination.sameDocument || URL.parse(destination.url)?.pathname === location.pathname)
    return undefined
  return destination.key
}

function traverseTo(key: string): void {
  const { committed, finished } = navigation.traverseTo(key, { info: confirmed })
  // Where something else came in between, the page simply stays.
  for (const each of [committed, finished]) each?.catch(() => {})
}
