import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import './form-bar.css'

/** What a {@link FormBar} takes. */
interface FormBarProps {
  readonly isDirty: boolean
  readonly isPending: boolean
  /** Whether what is there can be saved as it is, without a change. @default false */
  readonly canSaveAsIs?: boolean
  readonly saveLabel?: string
  readonly onReset?: () => void
  /** Beside the buttons, such as why it cannot be saved. */
  readonly children?: ReactNode
}

/** The end of a long form: it stays in sight while something is not saved. */
export function FormBar(props: FormBarProps) {
  const { isDirty, isPending, canSaveAsIs = false, saveLabel = 'Save', onReset, children } = props
  return (
    <div className="form-bar" data-dirty={isDirty || undefined}>
      <span className="grow muted" aria-live="polite">
        {children ?? (isDirty ? 'Not saved yet' : '')}
      </span>
      {onReset && isDirty && <Button onPress={onReset}>Undo changes</Button>}
      <Button type="submit" variant="primary" isPending={isPending} isDisabled={!isDirty && !canSaveAsIs}>
        {saveLabel}
      </Button>
    </div>
  )
}
