import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import './schema-form.css'

/** What a {@link FormGroup} takes. */
interface FormGroupProps {
  readonly title: string
  readonly description: string | undefined
  readonly children: ReactNode
}

/** Fields that belong together. */
export function FormGroup({ title, description, children }: FormGroupProps) {
  return (
    <fieldset className="config-group">
      {title !== '' && <legend className="foreign">{title}</legend>}
      {description !== undefined && <p className="field-description foreign">{description}</p>}
      {children}
    </fieldset>
  )
}

/** What an {@link AddButton} takes. */
interface AddButtonProps {
  readonly id: string
  readonly onAdd: () => void
  readonly isDisabled: boolean | undefined
  readonly what?: string
}

/** Adds one more. */
export function AddButton({ id, onAdd, isDisabled = false, what }: AddButtonProps) {
  return (
    <div>
      <Button
        id={id}
        icon={<Plus aria-hidden />}
        isDisabled={isDisabled}
        onPress={() => onAdd()}
        {...(what && { 'aria-label': `Add: ${what}` })}
      >
        Add
      </Button>
    </div>
  )
}
