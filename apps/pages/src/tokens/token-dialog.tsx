import { type ReactElement, useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'

/** What a {@link TokenDialog} takes. */
export interface TokenDialogProps {
  readonly title: string
  readonly trigger: ReactElement
  /** Kind of token, such as `API token`. */
  readonly label: string
  /** Who can do what with the secret. */
  readonly warning: string
  /** The form; `onCreated` takes the secret. */
  readonly children: (close: () => void, onCreated: (secret: string) => void) => ReactElement
}

/** Creates a token: shows a form, then the secret, once. */
export function TokenDialog({ title, trigger, label, warning, children }: TokenDialogProps) {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      title={title}
      trigger={trigger}
      isDismissable={false}
      isHeld={secret !== undefined}
      onOpenChange={() => setSecret(undefined)}
    >
      {(close) =>
        secret === undefined ? (
          children(close, setSecret)
        ) : (
          <NewSecret secret={secret} label={label} warning={warning} close={close} />
        )
      }
    </Dialog>
  )
}

interface NewSecretProps {
  readonly secret: string
  readonly label: string
  readonly warning: string
  readonly close: () => void
}

function NewSecret({ secret, label, warning, close }: NewSecretProps) {
  return (
    <>
      <Notice tone="warn">You will not be able to see this token again. {warning}</Notice>
      <section className="stack" data-gap="small" aria-label={label}>
        <CodeBlock code={secret} label={label} isWrapped canCopy={false} />
        <div>
          <CopyButton text={secret} label="Copy token" autoFocus />
        </div>
      </section>
      <p className="muted">
        Scripts send it as <code>Authorization: Bearer {'<token>'}</code>.
      </p>
      <DialogActions>
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
