import { useState } from 'react'
import {
  enumOptionsIndexForValue,
  enumOptionsValueForIndex,
  type RegistryWidgetsType,
  type WidgetProps,
} from '@rjsf/utils'
import { CheckboxField } from '../fields/checkbox-field.tsx'
import { NumberField } from '../fields/number-field.tsx'
import { SecretField, type SecretChange } from '../fields/secret-field.tsx'
import { SelectField } from '../fields/select-field.tsx'
import { TextArea } from '../fields/text-area.tsx'
import { TextField } from '../fields/text-field.tsx'
import type { FormValue } from './schema-validator.ts'
import { isSecretSchema } from './kept-secrets.ts'

/** What the widgets use. The library says `any` of values; what they are is looked at before they are used. */
type ConfigWidgetProps = Pick<
  WidgetProps<FormValue>,
  | 'label'
  | 'hideLabel'
  | 'schema'
  | 'rawErrors'
  | 'required'
  | 'disabled'
  | 'readonly'
  | 'options'
  | 'registry'
> & {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Label, description and problem of a field, for the shared components. */
function textsOf({ label, hideLabel = false, schema, rawErrors = [], required = false }: ConfigWidgetProps) {
  const error = rawErrors.join('; ')
  return {
    label,
    isLabelHidden: hideLabel,
    isRequired: required,
    ...(schema.description !== undefined && { description: schema.description }),
    ...(error !== '' && { errorMessage: error.charAt(0).toUpperCase() + error.slice(1) }),
  }
}

function TextWidget(props: ConfigWidgetProps) {
  const { schema, value, onChange, disabled = false, readonly = false } = props
  if (isSecretSchema(schema)) return <SecretWidget {...props} />
  if (isNumeric(schema)) return <NumberWidget {...props} />
  const placeholder: unknown = Array.isArray(schema.examples) ? schema.examples[0] : undefined
  return (
    <TextField
      {...textsOf(props)}
      value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      isDisabled={disabled}
      isReadOnly={readonly}
      autoComplete="off"
      {...(typeof placeholder === 'string' && { placeholder })}
    />
  )
}

/** A secret that is set comes as `true`; what goes back is `true` to keep it, null to remove it, or the new one. */
function SecretWidget(props: ConfigWidgetProps) {
  const { round } = props.registry.formContext as { readonly round: number } // of the form
  return <Secret key={round} {...props} />
}

function Secret(props: ConfigWidgetProps) {
  const { value, onChange, schema } = props
  const [wasSet, setWasSet] = useState(value === true)
  // The library would make the number 1 of it; what is absent is kept as well.
  const kept = isNumeric(schema) ? undefined : true
  const change: SecretChange =
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  return (
    <SecretField
      {...textsOf(props)}
      isSet={wasSet || value === true}
      change={value === null ? null : change}
      onChange={(next) => {
        if (value === true) setWasSet(true)
        onChange(next === undefined && (wasSet || value === true) ? kept : next)
      }}
    />
  )
}

const isNumeric = ({ type }: ConfigWidgetProps['schema']) => type === 'number' || type === 'integer'

function NumberWidget(props: ConfigWidgetProps) {
  const { schema, value, onChange, disabled = false, readonly = false } = props
  if (isSecretSchema(schema)) return <SecretWidget {...props} />
  const isWhole = schema.type === 'integer'
  return (
    <NumberField
      {...textsOf(props)}
      value={typeof value === 'number' ? value : Number.NaN}
      onChange={(number) => onChange(Number.isNaN(number) ? undefined : number)}
      isDisabled={disabled}
      isReadOnly={readonly}
      formatOptions={{ maximumFractionDigits: isWhole ? 0 : 12, useGrouping: false }}
    />
  )
}

function CheckboxWidget(props: ConfigWidgetProps) {
  const { label, value, onChange, disabled = false } = props
  const { description, errorMessage } = textsOf(props)
  return (
    <CheckboxField
      label={label}
      isSelected={value === true}
      onChange={onChange}
      isDisabled={disabled}
      {...(description !== undefined && { description })}
      errorMessage={errorMessage}
    />
  )
}

const unset = 'unset'

function SelectWidget(props: ConfigWidgetProps) {
  const { options, value, onChange, disabled = false, required = false } = props
  const choices = (options.enumOptions ?? []).map(({ label }, index) => ({ value: String(index), label }))
  const chosen = enumOptionsIndexForValue(value, options.enumOptions)
  return (
    <SelectField
      {...textsOf(props)}
      options={required ? choices : [{ value: unset, label: '–' }, ...choices]}
      value={typeof chosen === 'string' ? chosen : required ? null : unset}
      onChange={(index) =>
        onChange(index === unset ? undefined : enumOptionsValueForIndex(index, options.enumOptions))
      }
      isDisabled={disabled}
    />
  )
}

function CheckboxesWidget(props: ConfigWidgetProps) {
  const { label, options, value, onChange, disabled = false } = props
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  const { description, errorMessage } = textsOf(props)
  return (
    <fieldset className="config-group">
      <legend>{label}</legend>
      {description !== undefined && <p className="field-description">{description}</p>}
      {(options.enumOptions ?? []).map((option) => (
        <CheckboxField
          key={option.label}
          label={option.label}
          isSelected={chosen.includes(option.value)}
          isDisabled={disabled}
          onChange={(isOn) =>
            onChange(isOn ? [...chosen, option.value] : chosen.filter((each) => each !== option.value))
          }
        />
      ))}
      {errorMessage !== undefined && <p className="field-error">{errorMessage}</p>}
    </fieldset>
  )
}

function TextareaWidget(props: ConfigWidgetProps) {
  const { value, onChange, disabled = false, readonly = false } = props
  return (
    <TextArea
      {...textsOf(props)}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      isDisabled={disabled}
      isReadOnly={readonly}
    />
  )
}

/** The shared fields in the place of the library's own: what a schema asks for in vain (colours, files) is text. */
export const formWidgets: RegistryWidgetsType<FormValue> = {
  TextWidget,
  EmailWidget: TextWidget,
  URLWidget: TextWidget,
  ColorWidget: TextWidget,
  DateWidget: TextWidget,
  DateTimeWidget: TextWidget,
  TimeWidget: TextWidget,
  AltDateWidget: TextWidget,
  AltDateTimeWidget: TextWidget,
  FileWidget: TextWidget,
  HiddenWidget: TextWidget,
  RatingWidget: NumberWidget,
  PasswordWidget: SecretWidget,
  UpDownWidget: NumberWidget,
  RangeWidget: NumberWidget,
  CheckboxWidget,
  CheckboxesWidget,
  RadioWidget: SelectWidget,
  SelectWidget,
  TextareaWidget,
}
