# Writes azure.json beside it: a JSON Schema of what Microsoft's own Java package says that Azure's OpenAI takes, and that its content filter
# says, without prose. No package has Azure's OpenAPI; the models of this one are generated from its description, and each says in `toJson`
# how it is written.
#   mvn dependency:get -Dtransitive=false -Dartifact=com.azure:azure-ai-openai:1.0.0-beta.16:jar:sources
#   python3 take_azure.py ~/.m2/repository/com/azure/azure-ai-openai/1.0.0-beta.16/*-sources.jar && npx prettier --write azure.json
import json
import re
import sys
from pathlib import Path
from zipfile import ZipFile

jar = Path(sys.argv[1])
folder = "com/azure/ai/openai/models/"
with ZipFile(jar) as archive:
    names = [name for name in archive.namelist() if name.startswith(folder)]
    sources = {Path(name).stem: archive.read(name).decode() for name in names}
    versions = archive.read("com/azure/ai/openai/OpenAIServiceVersion.java").decode()

plain = {"String": "string", "Boolean": "boolean", "boolean": "boolean", "Double": "number", "double": "number"} | {
    name: "integer" for name in ("Integer", "int", "Long", "long")
}
roots = {
    "ChatRequest": "ChatCompletionsOptions",
    "EmbeddingRequest": "EmbeddingsOptions",
    "FilterOfPrompt": "ContentFilterResultsForPrompt",
    "FilterOfChoice": "ContentFilterResultsForChoice",
}
# Searches in an operator's own data, which the gateway neither sends nor reads.
unused = {"AzureChatExtensionConfiguration"}
wanted: list[str] = list(roots.values())


def schema_of(java: str) -> dict:
    """Of a field's type; `BinaryData` may be anything."""
    if java in plain:
        return {"type": plain[java]}
    if listed := re.fullmatch(r"List<(.+)>", java):
        return {"type": "array", "items": schema_of(listed[1])}
    if mapped := re.fullmatch(r"Map<String, (.+)>", java):
        return {"type": "object", "additionalProperties": schema_of(mapped[1])}
    if java not in sources or java in unused:
        return {}
    if words := words_of(java):
        return {"enum": list(words.values())}
    wanted.append(java)
    return {"$ref": f"#/$defs/{java}"}


def words_of(java: str) -> dict[str, str]:
    """By their constants; empty for what is no list of words."""
    source = sources[java]
    if "ExpandableStringEnum" in source:
        return dict(re.findall(rf'public static final {java} (\w+)\s+= fromString\("([^"]+)"\)', source))
    return dict(re.findall(r'^    (\w+)\("([^"]+)"\)[,;]', source, re.MULTILINE)) if f"public enum {java}" in source else {}


def read(name: str) -> dict:
    """A class that others extend is one of them: its own `role` or `type` is only its name."""
    heirs = [other for other, source in sources.items() if re.search(rf"class {other}\s+extends {name}\b", source)]
    if heirs:
        wanted.extend(heirs)
        return {"anyOf": [{"$ref": f"#/$defs/{heir}"} for heir in sorted(heirs)]}
    source = sources[name]
    fields = {
        java: (kind, bool(final), value)
        for final, kind, java, value in re.findall(r"^    private (final )?([\w<>, ]+?) (\w+)(?: = ([^;]+))?;", source, re.MULTILINE)
    }
    written = re.search(r"public JsonWriter toJson\(.*?\n    }", source, re.DOTALL)[0]
    found: dict[str, list[dict]] = {}
    required = set()
    for verb, wire, java in re.findall(r'write(\w+?)Field\(\s*"(\w+)"(?:,\s*(?:this\.)?(\w+))?', written):
        kind, final, value = fields.get(java, ("null", False, ""))
        found.setdefault(wire, []).append({"type": "null"} if verb == "Null" else {} if verb == "Raw" else constant(kind, value) or schema_of(kind))
        if final or value:
            required.add(wire)
    for wire in re.findall(r'writeFieldName\("(\w+)"\)', written):
        found.setdefault(wire, []).append({})
    required -= {wire for wire, forms in found.items() if len(forms) > 1}  # a union's members are all optional in Java
    properties = {wire: forms[0] if len(forms) == 1 else {"anyOf": forms} for wire, forms in found.items()}
    return {"type": "object", "properties": properties, "required": sorted(required), "additionalProperties": False}


def constant(kind: str, value: str) -> dict | None:
    if text := re.fullmatch(r'"([^"]+)"', value):
        return {"const": text[1]}
    if named := re.fullmatch(rf"{kind}\.(\w+)", value):
        return {"const": words_of(kind)[named[1]]}
    return None


defs: dict[str, dict] = {}
while wanted:
    name = wanted.pop()
    if name not in defs:
        defs[name] = read(name)
version = re.search(r"return V(\w+);", versions)[1].replace("_", "-").lower()
package = re.match(r"(.+)-(\d+\.\d+\.\d+.*)-sources", jar.stem)
body = {
    "source": f"com.azure:{package[1]} {package[2]}, the models of api-version {version}",
    "licence": "MIT",
    "roots": {root: {"$ref": f"#/$defs/{name}"} for root, name in roots.items()},
    "$defs": dict(sorted(defs.items())),
}
Path(__file__).with_name("azure.json").write_text(json.dumps(body))
