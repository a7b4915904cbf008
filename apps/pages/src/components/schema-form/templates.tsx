import {
  ADDITIONAL_PROPERTY_FLAG,
  buttonId,
  canExpand,
  type ErrorListProps,
  type FieldTemplateProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type TemplatesType,
  type UnsupportedFieldProps,
  type WrapIfAdditionalTemplateProps,
} from '@rjsf/utils'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../buttons/icon-button.tsx'
import { isComposing } from '../fields/is-composing.ts'
import { Notice } from '../states/notice.tsx'
import { TextField } from '../fields/text-field.tsx'
import { keepFocus } from '../dialogs/focus-afterwards.ts'
import { AddButton, FormGroup } from './group.tsx'
import { ArrayFieldItemTemplate, ArrayFieldTemplate } from './list-templates.tsx'
import type { FormValue } from './schema-validator.ts'
import './schema-form.css'

/** The shared fields bring their own label, description and problem. */
function FieldTemplate(props: FieldTemplateProps<FormValue>) {
  const { hidden = false, children, registry } = props
  if (hidden) return null
  const Wrap = registry.templates.WrapIfAdditionalTemplate
  return <Wrap {...props}>{children}</Wrap>
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps<FormValue>) {
  const {
    title,
    schema,
    uiSchema,
    formData,
    fieldPathId,
    properties,
    onAddProperty,
    disabled,
    optionalDataControl,
  } = props
  if ((schema.oneOf || schema.anyOf) && !schema.properties && properties.length === 0) return null
  const isRoot = fieldPathId.path.length === 0
  const content = (
    <>
      {optionalDataControl}
      {/* The key of the field outlives another name, and with it the focus. */}
      {properties.map(({ content: field }) => (
        <div key={field.key}>{field}</div>
      ))}
      {canExpand(schema, uiSchema, formData) && (
        <AddButton id={buttonId(fieldPathId, 'add')} onAdd={onAddProperty} isDisabled={disabled} />
      )}
    </>
  )
  if (isRoot) return <div className="stack">{content}</div>
  return (
    <FormGroup title={title} description={schema.description}>
      {content}
    </FormGroup>
  )
}

/** Properties that the schema does not name can be renamed and removed. */
function WrapIfAdditionalTemplate(props: WrapIfAdditionalTemplateProps<FormValue>) {
  const { schema, label, onKeyRename, onRemoveProperty, disabled, children } = props
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <>{children}</>
  return (
    <div className="config-item">
      <PropertyName name={label} isDisabled={disabled} onRename={onKeyRename} />
      <div className="grow">{children}</div>
      <IconButton
        label={`Remove ${label}`}
        icon={<Trash2 aria-hidden />}
        isDisabled={disabled}
        onPress={() => {
          onRemoveProperty()
          keepFocus() // the button goes with the entry
        }}
      />
    </div>
  )
}

interface PropertyNameProps {
  readonly name: string
  readonly isDisabled: boolean | undefined
  readonly onRename: (name: string) => void
}

/** Counts once it is whole: when the field is left, or with Enter, which would else save the config under the old name. */
function PropertyName({ name, isDisabled = false, onRename }: PropertyNameProps) {
  const [written, setWritten] = useState(name)
  const [before, setBefore] = useState(name)
  if (name !== before) {
    // Perhaps another one than was written, where there was one of that name.
    setBefore(name)
    setWritten(name)
  }
  const rename = () => {
    const wanted = written.trim()
    if (wanted !== '' && wanted !== name) onRename(wanted)
  }
  return (
    <TextField
      label="Name"
      value={written}
      onChange={setWritten}
      isDisabled={isDisabled}
      onBlur={rename}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
        event.preventDefault()
        rename()
      }}
    />
  )
}

function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps<FormValue>) {
  return (
    <div className="stack" data-gap="small">
      {selector}
      {optionSchemaField}
    </div>
  )
}

function ErrorListTemplate({ errors }: ErrorListProps<FormValue>) {
  return (
    <div role="alert">
      <Notice tone="bad">
        <ul className="config-errors">
          {errors.map(({ property = '', message = '', stack }) => (
            <li key={stack}>{`${property.split('.').filter(Boolean).join(' › ')} ${message}`.trim()}</li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

function UnsupportedFieldTemplate({ reason }: UnsupportedFieldProps<FormValue>) {
  return (
    <Notice tone="warn">
      This part of the config cannot be shown as a form: {reason ?? 'its type is not known'}.
    </Notice>
  )
}

const nothing = () => null

/** The forms of skills in the shared look. Texts of a schema are only ever text. */
export const formTemplates: Partial<TemplatesType<FormValue>> = {
  FieldTemplate,
  ObjectFieldTemplate,
  // a list of values; the library's type for all templates knows only the whole config
  ArrayFieldTemplate: ArrayFieldTemplate as unknown as TemplatesType<FormValue>['ArrayFieldTemplate'],
  ArrayFieldItemTemplate:
    ArrayFieldItemTemplate as unknown as TemplatesType<FormValue>['ArrayFieldItemTemplate'],
  WrapIfAdditionalTemplate,
  MultiSchemaFieldTemplate,
  ErrorListTemplate,
  UnsupportedFieldTemplate,
  DescriptionFieldTemplate: ({ description }) => <p className="field-description foreign">{description}</p>,
  TitleFieldTemplate: ({ title }) => <h3 className="foreign">{title}</h3>,
  FieldErrorTemplate: nothing,
  FieldHelpTemplate: nothing,
}
