import type { ReactNode } from 'react'
import { FieldError, Label, Text } from 'react-aria-components'
import './field.css'

/** What every field with a label takes. */
export interface FieldTexts {
  /** What the field is for. Always there for screen readers; `isLabelHidden` takes it from sight. */
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly description?: ReactNode
  /** What is wrong with the value; it also marks the field as invalid. */
  readonly errorMessage?: string | undefined
}

/** The label of a field, above it. */
export function FieldLabel({ label, isHidden = false, isRequired = false }: FieldLabelProps) {
  return (
    <Label
      className={isHidden ? 'visually-hidden' : 'field-label'}
      {...(isRequired && { 'data-required': true })}
    >
      {label}
    </Label>
  )
}

interface FieldLabelProps {
  readonly label: string
  readonly isHidden?: boolean | undefined
  readonly isRequired?: boolean | undefined
}

/** What stands below a field: what to know about it, and what is wrong with its value. */
export function FieldNotes({ description, errorMessage }: Pick<FieldTexts, 'description' | 'errorMessage'>) {
  return (
    <>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{errorMessage}</FieldError>
    </>
  )
}
