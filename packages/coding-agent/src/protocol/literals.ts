import * as Type from "@sinclair/typebox";

/** A schema for one of these strings. */
export function literals<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}
