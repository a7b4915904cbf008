import { Minus, Plus } from 'lucide-react'
import {
  Button,
  Group,
  I18nProvider,
  Input,
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'
import './number-field.css'

/** What a {@link NumberField} takes besides what every number field takes. */
interface NumberFieldProps extends Omit<AriaNumberFieldProps, 'children' | 'className'>, FieldTexts {
  readonly placeholder?: string
}

/** A number, with steps. An empty one is `NaN`. */
export function NumberField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  ...rest
}: NumberFieldProps) {
  return (
    // In the reader's own way, not in that of the page: a comma is no point.
    <I18nProvider>
      <AriaNumberField {...rest} {...(errorMessage && { isInvalid: true })} className="field">
        <FieldLabel label={label} isHidden={isLabelHidden} isRequired={rest.isRequired} />
        <Group className="number-field">
          <Input className="field-input" {...(placeholder !== undefined && { placeholder })} />
          <Button slot="decrement" className="number-field-step">
            <Minus aria-hidden />
          </Button>
          <Button slot="increment" className="number-field-step">
            <Plus aria-hidden />
          </Button>
        </Group>
        <FieldNotes description={description} errorMessage={errorMessage} />
      </AriaNumberField>
    </I18nProvider>
  )
}
