import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** What a {@link RevokeToken} takes. */
export interface RevokeTokenProps {
  readonly name: string
  readonly revoke: () => Promise<unknown>
  /** What follows. */
  readonly children: ReactNode
}

/** Revokes a token, once that is confirmed. */
export function RevokeToken({ name, revoke, children }: RevokeTokenProps) {
  async function confirm(): Promise<void> {
    await revoke()
    showToast({ title: 'Token revoked', text: name })
  }
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      confirmLabel="Revoke token"
      onConfirm={confirm}
      trigger={
        <Button variant="quiet" icon={<Trash2 aria-hidden />} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      }
    >
      <p>{children}</p>
    </ConfirmDialog>
  )
}
