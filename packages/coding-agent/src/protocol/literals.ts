import * as Type from "@sinclair/typebox";

/** One of these texts. */
export function literals<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}
