/** Said of what no model sends: a page of a proxy, or nothing at all. */
export const noAnswer =
  'the response of the provider is not a model response. Check the base URL if this happens again'

/** Said of JSON that is not read: the address is right, or a server of another kind is there. */
export const notUnderstood =
  'the response of the provider has an unknown shape. Check that the server supports the API of the provider'

/** Said of an answer of which only a part came. */
export const brokeOff = 'the response ended early'
