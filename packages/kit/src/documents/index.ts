export {
  createDocumentReader,
  type DocumentReader,
  type DocumentReaderOptions,
} from './create-document-reader.ts'
export {
  documentFormatOf,
  type DocumentFormat,
  type DocumentPart,
  type DocumentText,
  type PlainFormat,
  type UnreadDocument,
} from './document-format.ts'
