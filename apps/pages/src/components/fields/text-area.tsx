import {
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'

/** What a {@link TextArea} takes besides what every text field takes. */
interface TextAreaProps extends Omit<AriaTextFieldProps, 'children' | 'className'>, FieldTexts {
  readonly placeholder?: string
  /** @default 4 */
  readonly rows?: number
  /** For JSON, YAML and the like: a font with letters of one width. */
  readonly isCode?: boolean
}

/** Several lines of text. */
export function TextArea({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  rows = 4,
  isCode = false,
  ...rest
}: TextAreaProps) {
  return (
    <AriaTextField {...rest} {...(errorMessage && { isInvalid: true })} className="field">
      <FieldLabel label={label} isHidden={isLabelHidden} isRequired={rest.isRequired} />
      <AriaTextArea
        className="field-input"
        rows={rows}
        dir={isCode ? 'ltr' : 'auto'}
        {...(placeholder !== undefined && { placeholder })}
        {...(isCode && { 'data-code': true, spellCheck: false })}
      />
      <FieldNotes description={description} errorMessage={errorMessage} />
    </AriaTextField>
  )
}
