import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  CheckboxButton,
  CheckboxField as AriaCheckboxField,
  type CheckboxFieldProps as AriaCheckboxFieldProps,
  FieldError,
  Text,
} from 'react-aria-components'
import './checkbox-field.css'

/** What a {@link CheckboxField} takes besides what every checkbox takes. */
interface CheckboxFieldProps extends Omit<AriaCheckboxFieldProps, 'children' | 'className'> {
  readonly label: ReactNode
  readonly description?: ReactNode
  readonly errorMessage?: string | undefined
}

/** A yes or no that counts once the form is sent. */
export function CheckboxField({ label, description, errorMessage, ...rest }: CheckboxFieldProps) {
  return (
    <AriaCheckboxField {...rest} {...(errorMessage && { isInvalid: true })} className="checkbox-field">
      <CheckboxButton className="checkbox-button">
        {({ isSelected, isIndeterminate }) => (
          <>
            <span className="checkbox-box" aria-hidden>
              {isIndeterminate ? <Minus /> : isSelected ? <Check /> : null}
            </span>
            <span>{label}</span>
          </>
        )}
      </CheckboxButton>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{errorMessage}</FieldError>
    </AriaCheckboxField>
  )
}
