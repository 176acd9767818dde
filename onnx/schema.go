package onnx

// The messages of onnx.proto, as far as they are read. Field numbers are the
// format's law and never change.

// ModelProto
const (
	modelIRVersion   = 1
	modelGraph       = 7
	modelOpsetImport = 8
	modelFunctions   = 25
)

var modelProto = schema{"ModelProto", map[fieldNumber]fieldSpec{
	modelIRVersion: {name: "ir_version"}, modelGraph: {name: "graph", kind: blob},
	modelOpsetImport: {"opset_import", blob, true}, modelFunctions: {"functions", blob, true},
}}

// OperatorSetIdProto
const (
	opsetDomain  = 1
	opsetVersion = 2
)

var opsetProto = schema{"OperatorSetIdProto", map[fieldNumber]fieldSpec{
	opsetDomain: {name: "domain", kind: blob}, opsetVersion: {name: "version"},
}}

// GraphProto
const (
	graphNode              = 1
	graphInitializer       = 5
	graphInput             = 11
	graphOutput            = 12
	graphSparseInitializer = 15
)

var graphProto = schema{"GraphProto", map[fieldNumber]fieldSpec{
	graphNode: {"node", blob, true}, graphInitializer: {"initializer", blob, true},
	graphInput: {"input", blob, true}, graphOutput: {"output", blob, true},
	graphSparseInitializer: {"sparse_initializer", blob, true},
}}

// NodeProto
const (
	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOpType    = 4
	nodeAttribute = 5
	nodeDomain    = 7
	nodeOverload  = 8
)

var nodeProto = schema{"NodeProto", map[fieldNumber]fieldSpec{
	nodeInput: {"input", blob, true}, nodeOutput: {"output", blob, true}, nodeName: {name: "name", kind: blob},
	nodeOpType: {name: "op_type", kind: blob}, nodeAttribute: {"attribute", blob, true},
	nodeDomain: {name: "domain", kind: blob}, nodeOverload: {name: "overload", kind: blob},
}}

// AttributeProto
const (
	attributeName    = 1
	attributeF       = 2
	attributeI       = 3
	attributeS       = 4
	attributeT       = 5
	attributeG       = 6
	attributeFloats  = 7
	attributeInts    = 8
	attributeType    = 20
	attributeRefName = 21
)

var attributeProto = schema{"AttributeProto", map[fieldNumber]fieldSpec{
	attributeName: {name: "name", kind: blob}, attributeF: {name: "f", kind: fixed32}, attributeI: {name: "i"},
	attributeS: {name: "s", kind: blob}, attributeT: {name: "t", kind: blob}, attributeG: {name: "g", kind: blob},
	attributeFloats: {"floats", fixed32, true}, attributeInts: {"ints", integer, true},
	attributeType: {name: "type"}, attributeRefName: {name: "ref_attr_name", kind: blob},
}}

// TensorProto
const (
	tensorDims         = 1
	tensorDataType     = 2
	tensorSegment      = 3
	tensorFloatData    = 4
	tensorInt32Data    = 5
	tensorStringData   = 6
	tensorInt64Data    = 7
	tensorName         = 8
	tensorRawData      = 9
	tensorDoubleData   = 10
	tensorUint64Data   = 11
	tensorExternalData = 13
	tensorDataLocation = 14
)

var tensorProto = schema{"TensorProto", map[fieldNumber]fieldSpec{
	tensorDims: {"dims", integer, true}, tensorDataType: {name: "data_type"}, tensorSegment: {name: "segment", kind: blob},
	tensorFloatData: {"float_data", fixed32, true}, tensorInt32Data: {"int32_data", integer, true},
	tensorStringData: {"string_data", blob, true}, tensorInt64Data: {"int64_data", integer, true},
	tensorName: {name: "name", kind: blob}, tensorRawData: {name: "raw_data", kind: blob},
	tensorDoubleData: {"double_data", fixed64, true}, tensorUint64Data: {"uint64_data", integer, true},
	tensorExternalData: {"external_data", blob, true}, tensorDataLocation: {name: "data_location"},
}}

// ValueInfoProto, TypeProto, TypeProto.Tensor, TensorShapeProto and its Dimension
const (
	valueName      = 1
	valueType      = 2
	typeTensor     = 1
	typeSequence   = 4
	typeMap        = 5
	typeOpaque     = 7
	typeSparse     = 8
	typeOptional   = 9
	elementType    = 1
	elementShape   = 2
	shapeDim       = 1
	dimensionValue = 1
	dimensionParam = 2
)

var (
	valueInfoProto = schema{"ValueInfoProto", map[fieldNumber]fieldSpec{
		valueName: {name: "name", kind: blob}, valueType: {name: "type", kind: blob},
	}}
	typeProto = schema{"TypeProto", map[fieldNumber]fieldSpec{
		typeTensor: {name: "tensor_type", kind: blob}, typeSequence: {name: "sequence_type", kind: blob},
		typeMap: {name: "map_type", kind: blob}, typeOpaque: {name: "opaque_type", kind: blob},
		typeSparse: {name: "sparse_tensor_type", kind: blob}, typeOptional: {name: "optional_type", kind: blob},
	}}
	tensorTypeProto = schema{"TypeProto.Tensor", map[fieldNumber]fieldSpec{
		elementType: {name: "elem_type"}, elementShape: {name: "shape", kind: blob},
	}}
	shapeProto     = schema{"TensorShapeProto", map[fieldNumber]fieldSpec{shapeDim: {"dim", blob, true}}}
	dimensionProto = schema{"TensorShapeProto.Dimension", map[fieldNumber]fieldSpec{
		dimensionValue: {name: "dim_value"}, dimensionParam: {name: "dim_param", kind: blob},
	}}
)
