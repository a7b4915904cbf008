import { Dialog } from '../components/dialogs/dialog.tsx'
import './find.css'

const shortcuts = [
  ['Ctrl K', 'Find or ask, on every page (⌘ K on a Mac)'],
  ['/', 'Go to the field "Find or ask" on Home'],
  ['?', 'List the shortcuts'],
  ['Enter', 'In "Find or ask": search the online devices, or open the chosen entry'],
  ['Tab', 'In "Find or ask": hand the words to an agent'],
  ['Enter, Shift Enter', 'In a chat: send the message, begin a new line'],
  ['Esc', 'Close a dialog or a list'],
] as const

/** The keys that the application knows. */
export default function ShortcutsDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen onOpenChange={close}>
      <dl className="shortcuts">
        {shortcuts.map(([keys, text]) => (
          <div key={text} className="shortcut">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
