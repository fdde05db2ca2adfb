import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";

const licenses = new Contrib.License.Factories.LicenseFactory();
const builder = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  licenses,
);

/**
 * What third-party code is in the files of a package, for auditors: a bill of materials in CycloneDX 1.6. Two builds of the same code write the
 * same bytes, so it has no time and no number of its own. What is installed beside the package is not in it: package.json names that.
 *
 * @param manifest - package.json of our package.
 * @param packages - as `bundledPackages` returns them.
 */
export function billOfMaterials(manifest, packages) {
  const bom = new Models.Bom();
  const own = builder.makeComponent({ ...manifest, dependencies: undefined }, Enums.ComponentType.Library);
  own.bomRef.value = purlOf(manifest);
  own.purl = own.bomRef.value;
  bom.metadata.component = own;
  for (const { folder, name, version, license } of packages) {
    const component = builder.makeComponent(
      JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
      Enums.ComponentType.Library,
    );
    component.bomRef.value = purlOf({ name, version });
    component.purl = component.bomRef.value;
    component.scope = Enums.ComponentScope.Required;
    component.licenses.clear();
    component.licenses.add(licenses.makeFromString(license));
    own.dependencies.add(component.bomRef);
    bom.components.add(component);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true })}\n`;
}

/** The address of a package of npm, as the package URL specification writes it. */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}
