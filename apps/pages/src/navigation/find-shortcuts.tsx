import { Search } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'

/** Id of the field on Home, which `/` goes to. */
export const findFieldId = 'find-or-ask'

const FindDialog = lazyPart(async () => (await import('./find-dialog.tsx')).default)
const ShortcutsDialog = lazyPart(async () => (await import('./shortcuts-dialog.tsx')).default)

/** What a {@link FindShortcuts} takes. */
interface FindShortcutsProps {
  /** Renders the frame with a function that opens the dialog. */
  readonly children: (openFind: () => void) => ReactNode
}

/** Opens the dialogs of the shortcuts that work on every page. */
export function FindShortcuts({ children }: FindShortcutsProps) {
  const [open, setOpen] = useState<'find' | 'shortcuts'>()
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const action = toAction(event)
    if (action === undefined || isDialogOpen()) return
    if (action === 'go') {
      const field = document.getElementById(findFieldId)
      if (!field) return
      field.focus()
    } else setOpen(action)
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  const close = () => setOpen(undefined)
  return (
    <>
      {children(() => setOpen('find'))}
      <Suspense fallback={null}>
        {open === 'find' && <FindDialog close={close} />}
        {open === 'shortcuts' && <ShortcutsDialog close={close} />}
      </Suspense>
    </>
  )
}

function toAction(event: KeyboardEvent): 'find' | 'shortcuts' | 'go' | undefined {
  if (event.defaultPrevented || event.isComposing || event.repeat) return undefined
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') return 'find'
  // Characters that somebody writes are no shortcuts.
  if (ctrlKey || metaKey || altKey || isWriting(event.target)) return undefined
  if (key === '/') return 'go'
  return key === '?' ? 'shortcuts' : undefined
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input, textarea, select, [role="listbox"] *')
}

/** A dialog keeps the focus, and may hold what was written. */
const isDialogOpen = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Opens the dialog from the sidebar. */
export function FindButton({ onPress }: { readonly onPress: () => void }) {
  return (
    <Button icon={<Search aria-hidden />} onPress={onPress} aria-keyshortcuts="Control+K">
      Find or ask
      <kbd aria-hidden>Ctrl K</kbd>
    </Button>
  )
}

/** The same where there is little room. */
export function FindIconButton({ onPress }: { readonly onPress: () => void }) {
  return <IconButton label="Find or ask" icon={<Search aria-hidden />} onPress={onPress} />
}
