import { Dialog } from '../components/dialogs/dialog.tsx'
import { FindBox } from './find-box.tsx'

/** The field to find and to ask, over whatever page is open. */
export default function FindDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Find or ask" isOpen onOpenChange={close}>
      <FindBox autoFocus onDone={close} />
    </Dialog>
  )
}
