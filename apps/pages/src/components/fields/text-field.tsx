import {
  Input,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'

/** What a {@link TextField} takes besides what every text field takes. */
interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className'>, FieldTexts {
  readonly placeholder?: string
}

/** One line of text. */
export function TextField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  ...rest
}: TextFieldProps) {
  return (
    <AriaTextField {...rest} {...(errorMessage && { isInvalid: true })} className="field">
      <FieldLabel label={label} isHidden={isLabelHidden} isRequired={rest.isRequired} />
      <Input className="field-input" {...(placeholder !== undefined && { placeholder })} dir="auto" />
      <FieldNotes description={description} errorMessage={errorMessage} />
    </AriaTextField>
  )
}
